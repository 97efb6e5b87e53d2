# What the first process of every sandbox does, whether it takes one run or many.
use strict;    # what `use warnings` would find, the tests find with perl -w

my $workspace = '/workspace';
my $no_hang   = 1;
my $patience  = 1;
my $relayed   = 0;    # whether something that the program writes was passed on since this was last cleared
my ( $wake_read, $wake_write );

sub leave { exit $_[0] }

# Waits until the interpreter waits, unless it is started later, and says which kernel this is.
sub greet {
    sysread $from_child, my $word, 1 if $child;
    leave(126) if $child && !$word;
    line() if $asked;
    open my $file, '<', '/proc/version' or leave(1);
    my ($kernel) = <$file> =~ /^Linux version (\S+)/ or leave(1);
    say_bytes( \*STDOUT, "\0ready $kernel\n" );
}

sub say_bytes {
    my ( $to, $bytes ) = @_;
    my $done = 0;
    while ( $done < length $bytes ) {
        my $wrote = syswrite $to, $bytes, 65536, $done;
        if    ( defined $wrote ) { $done += $wrote }
        elsif ( $! == EAGAIN )   { vec( my $mouth = '', fileno $to, 1 ) = 1; select undef, $mouth, undef, 1 }
        elsif ( $! != EINTR )    { leave(1) }
    }
}

# Says something among what the program writes: in pieces that a pipe takes whole.
sub insert {
    my ( $nonce, $item ) = @_;
    while ( length $item ) {
        my $piece = substr $item, 0, 3072, '';
        say_bytes( \*STDOUT, sprintf( "\0%s+%d %d\n", $nonce, length $piece, length $item ? 1 : 0 ) . $piece );
    }
}

sub line {
    my $line = <STDIN>;
    leave(0) if !defined $line;
    return $line;
}

sub take {
    my ($size) = @_;
    my $bytes = '';
    while ( $size > length $bytes ) {
        read( STDIN, $bytes, $size - length $bytes, length $bytes ) or leave(0);
    }
    return $bytes;
}

# --- what goes in --------------------------------------------------------------------------------------

sub parts_of {
    my @parts = split m{/}, $_[0], -1;
    leave(1) if grep { $_ eq '' || $_ eq '.' || $_ eq '..' } @parts;
    return @parts;
}

sub put_file {
    my ( $name, $content ) = @_;
    my @parts = parts_of($name) or leave(1);
    my $path = $workspace;
    for my $folder ( @parts[ 0 .. $#parts - 1 ] ) { mkdir $path .= "/$folder" }
    sysopen my $file, "$workspace/$name", O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0644 or return "$name: $!";
    binmode $file;
    return "$name: $!" if !( print {$file} $content ) || !close $file;
    return '';
}

sub put_files {
    for ( 1 .. $_[0] ) {
        my ( $length, $size ) = split ' ', line();
        my ( $name, $content ) = ( take($length), take($size) );
        put_file( $name, $content ) eq '' or leave(125);
    }
}

# --- while it runs -------------------------------------------------------------------------------------

sub watch_signals {
    pipe $wake_read, $wake_write or leave(1);
    $SIG{PIPE} = 'IGNORE';
    $SIG{CHLD} = sub { syswrite $wake_write, '.' };
    $SIG{TERM} = sub { kill 'TERM', -$child if $child };
    fcntl $_, F_SETFL, fcntl( $_, F_GETFL, 0 ) | O_NONBLOCK for \*STDOUT, \*STDERR;
}

# Passes on a piece of what the program wrote, as far as the reader takes it.
sub pass_on {
    my ($flow) = @_;
    my ( $from, $to ) = @$flow;
    $relayed = 1;
    if ( !length $flow->[2] ) {
        my $got = sysread $from, $flow->[2], 65536;
        $flow->[0] = undef if defined $got && !$got;
    }
    my $wrote = length $flow->[2] ? syswrite $to, $flow->[2] : 0;
    if ( defined $wrote ) { substr $flow->[2], 0, $wrote, '' }
    elsif ( $! != EAGAIN && $! != EINTR ) { leave(1) }
}

# Passes on all that the program has written so far.
sub drain {
    for my $flow (@flows) {
        my ( $from, $to, $bytes ) = @$flow;
        say_bytes( $to, $bytes );
        while ( $from && sysread $from, $bytes, 65536 ) { say_bytes( $to, $bytes ) }
        $flow->[2] = '';
    }
}

# Waits for at most a second or `$patience`, passes on what the program writes, and returns which descriptors can be read.
sub watch {
    my ( $ears, $mouths ) = ( '', '' );
    vec( $ears, fileno $_, 1 ) = 1 for \*STDIN, $wake_read, @_;
    for my $flow (@flows) {
        if    ( length $flow->[2] ) { vec( $mouths, fileno $flow->[1], 1 ) = 1 }
        elsif ( $flow->[0] )        { vec( $ears, fileno $flow->[0], 1 ) = 1 }
    }
    return '' if select( $ears, $mouths, undef, $patience ) <= 0;
    leave(0) if vec( $ears, fileno STDIN, 1 );
    sysread $wake_read, my $dots, 4096 if vec( $ears, fileno $wake_read, 1 );
    for my $flow (@flows) {
        my ( $from, $to, $bytes ) = @$flow;
        pass_on($flow) if length $bytes ? vec( $mouths, fileno $to, 1 ) : $from && vec( $ears, fileno $from, 1 );
    }
    return $ears;
}

sub give {
    my ( $to, $code ) = @_;
    my $done = 0;
    while ( $done < length $code ) {
        my $wrote = syswrite $to, $code, 65536, $done;
        if    ( defined $wrote ) { $done += $wrote }
        elsif ( $! != EINTR )    { last }
    }
    close $to;
}

# Returns the wait status of the interpreter and whether this process had to end it.
# It counts seconds that it saw pass: those in which it stood frozen do not count.
sub await {
    my ( $left, $nonce ) = @_;
    my $before = time;
    begin_lines() if $marked;
    while (1) {
        while ( ( my $pid = waitpid -1, $no_hang ) > 0 ) { return ( $?, 0 ) if $pid == $child }
        my $passed = time - $before;
        $left -= $passed < 1 ? $passed : 1;
        $before += $passed;
        return ( 9, 1 ) if $left <= 0;
        watch();
        follow_lines($nonce) if $marked;
    }
}

sub tasks {
    my $count = 0;
    opendir my $processes, '/proc' or return 0;    # `glob` would load a module
    for my $process ( grep { /^\d/ } readdir $processes ) {
        opendir my $folder, "/proc/$process/task" or next;
        $count += grep { /\d/ } readdir $folder;
    }
    return $count;
}

sub end_everything {
    local $SIG{ALRM} = sub { leave(1) };
    alarm 10;
    kill 'KILL', -1;
    1 while waitpid( -1, 0 ) > 0;
    alarm 0;
}

# --- what comes back -----------------------------------------------------------------------------------

sub full {
    my ($folder) = @_;
    my $path = "$folder/.full-$$";
    sysopen my $file, $path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600 or return $! == ENOSPC ? 1 : 0;
    my $wrote = syswrite $file, "\0" x 65536;
    my $full = !defined $wrote || $wrote < 65536 ? 1 : 0;
    unlink $path;
    return $full;
}

sub files_under {
    my ( $folder, $depth ) = @_;
    opendir my $handle, $folder or return;
    my @found;
    for my $name ( sort grep { $_ ne '.' && $_ ne '..' } readdir $handle ) {
        my @facts = lstat "$folder/$name" or next;
        if ( S_ISREG( $facts[2] ) ) { push @found, [ "$folder/$name", $facts[7] ] }
        elsif ( S_ISDIR( $facts[2] ) && $depth < 16 ) { push @found, files_under( "$folder/$name", $depth + 1 ) }
        last if @found > 4096;
    }
    return @found;
}

sub item {
    my ( $path, $name ) = @_;
    my @facts = lstat $path or return '';
    my $kind = S_ISREG( $facts[2] ) ? 'f' : S_ISDIR( $facts[2] ) ? 'd' : 'o';
    return sprintf( "item %d %d %d %s\n", length $name, $facts[7], $facts[9], $kind ) . $name;
}

sub contents {
    my ( $place, $name, $room ) = @_;
    sysopen my $file, $place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK or return undef;
    if ( !-f $file ) { $! = 21; return undef }
    my $bytes = '';
    1 while length $bytes < $room && sysread $file, $bytes, $room - length $bytes, length $bytes;
    return sprintf( "file %d %d\n", length $name, length $bytes ) . $name . $bytes;
}

sub send_file {
    my ( $path, $size ) = @_;
    sysopen my $file, $path, O_RDONLY | O_NOFOLLOW or return 0;
    binmode $file;
    my $name = substr $path, 1 + length $workspace;
    say_bytes( \*STDOUT, sprintf( "file %d %d\n", length $name, $size ) . $name );
    while ($size) {
        my $piece = $size < 65536 ? $size : 65536;
        my $got = sysread( $file, my $bytes, $piece ) || 0;
        $bytes .= "\0" x ( $piece - $got );
        say_bytes( \*STDOUT, $bytes );
        $size -= $piece;
    }
    return 1;
}

sub send_files {
    my ($room) = @_;
    my $left_out = 0;
    for my $found ( files_under( $workspace, 0 ) ) {
        my ( $path, $size ) = @$found;
        if ( $size <= $room && send_file( $path, $size ) ) { $room -= $size }
        else                                                { $left_out++ }
    }
    say_bytes( \*STDOUT, "left $left_out\n" );
}
