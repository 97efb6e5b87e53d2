# Carries connections over standard streams, as frames: kind (one letter), channel (32 bits), length (32 bits), that
# many bytes.
#   F a file, the first frame (in)      R ready (out)
#   O a new connection (out, and in where the other end may ask for one)      D data      W so many bytes more may come (in "length", no bytes)
#   E no more data                C closed: nothing is wanted any more
# Whoever includes it says how many connections there may be, what the other end is told of a new one, and what becomes
# of the file.
use strict;
use warnings;
use Errno qw(EAGAIN EINTR);
use Fcntl qw(O_WRONLY O_CREAT O_EXCL O_NOFOLLOW O_NONBLOCK F_SETFL F_GETFL);
use Socket;

my ( $most, $introduce, $write, $connect, %ears );
my $window  = 262144;
my $in      = '';
my $next    = 1;
my %channel = ();

sub leave { exit $_[0] }

sub send_frame {
    my ( $kind, $id, $length, $bytes ) = @_;
    my $frame = pack( 'aNN', $kind, $id, $length ) . $bytes;
    my $done = 0;
    while ( $done < length $frame ) {
        my $wrote = syswrite STDOUT, $frame, length($frame) - $done, $done;
        if ( defined $wrote ) { $done += $wrote }
        elsif ( !$!{EINTR} )  { leave(0) }
    }
}

sub forget {
    my ($id) = @_;
    close $channel{$id}{socket};
    delete $channel{$id};
}

sub drop {
    my ($id) = @_;
    send_frame( 'C', $id, 0, '' );
    forget($id);
}

sub settle {
    my ($id) = @_;
    my $one = $channel{$id} or return;
    return if length $one->{out};
    return forget($id) if $one->{closed};
    if ( $one->{ended} == 1 ) { shutdown $one->{socket}, 1; $one->{ended} = 2 }
    forget($id) if $one->{ended} && $one->{heard};
}

sub take {
    my ( $kind, $id, $length, $bytes ) = @_;
    if ( $kind eq 'F' ) { return $write->($bytes) }
    if ( $kind eq 'O' ) { return $connect && $connect->($id) }
    my $one = $channel{$id} or return;
    if ( $kind eq 'D' ) { $one->{out} .= $bytes; return pass_out($id) }
    if    ( $kind eq 'W' ) { $one->{room} += $length }
    elsif ( $kind eq 'E' ) { $one->{ended} ||= 1 }
    elsif ( $kind eq 'C' ) { $one->{closed} = 1 }
    settle($id);
}

sub hear {
    my $got = sysread STDIN, $in, 65536, length $in;
    return if !defined $got && $!{EINTR};
    leave(0) if !$got;
    while ( length $in >= 9 ) {
        my ( $kind, $id, $length ) = unpack 'aNN', $in;
        my $size = $kind eq 'D' || $kind eq 'F' ? $length : 0;
        return if length $in < 9 + $size;
        my $bytes = substr $in, 9, $size;
        substr( $in, 0, 9 + $size ) = '';
        take( $kind, $id, $length, $bytes );
    }
}

sub begin_channel {
    my ( $socket, $first ) = @_;
    my $id = $next++;
    $channel{$id} = { socket => $socket, out => '', room => $window - length $first, ended => 0, heard => 0, closed => 0 };
    send_frame( 'O', $id, 0, '' );
    send_frame( 'D', $id, length $first, $first ) if length $first;
    return $id;
}

sub greet {
    my ($listener) = @_;
    accept my $socket, $listener or return;
    fcntl $socket, F_SETFL, fcntl( $socket, F_GETFL, 0 ) | O_NONBLOCK;
    begin_channel( $socket, $introduce->($socket) );
}

sub pass_in {
    my ($id) = @_;
    my $one  = $channel{$id};
    my $most = $one->{room} < 65536 ? $one->{room} : 65536;
    my $bytes;
    my $got = sysread $one->{socket}, $bytes, $most;
    return if !defined $got && ( $!{EAGAIN} || $!{EINTR} );
    return drop($id) if !defined $got;
    if ( !$got ) { $one->{heard} = 1; send_frame( 'E', $id, 0, '' ); return settle($id) }
    $one->{room} -= $got;
    send_frame( 'D', $id, $got, $bytes );
}

sub pass_out {
    my ($id)  = @_;
    my $one   = $channel{$id};
    my $wrote = syswrite $one->{socket}, $one->{out};
    return if !defined $wrote && ( $!{EAGAIN} || $!{EINTR} );
    return drop($id) if !defined $wrote;
    substr( $one->{out}, 0, $wrote ) = '';
    $one->{taken} += $wrote;
    if ( $one->{taken} >= $window / 4 ) { send_frame( 'W', $id, $one->{taken}, '' ); $one->{taken} = 0 }
    settle($id);
}

# Serves connections until the other end goes away; `%ears` are further sockets by number, and who reads them.
sub carry {
    my ($listener) = @_;
    while (1) {
        my ( $readable, $writable ) = ( '', '' );
        vec( $readable, fileno STDIN,     1 ) = 1;
        vec( $readable, fileno $listener, 1 ) = 1 if keys %channel < $most;
        vec( $readable, $_, 1 ) = 1 for keys %ears;
        for my $one ( values %channel ) {
            vec( $readable, fileno $one->{socket}, 1 ) = 1 if $one->{room} && !$one->{heard} && !$one->{closed};
            vec( $writable, fileno $one->{socket}, 1 ) = 1 if length $one->{out};
        }
        next if select( $readable, $writable, undef, undef ) <= 0;
        for my $id ( keys %channel ) {
            my $number = fileno $channel{$id}{socket};
            pass_out($id) if vec( $writable, $number, 1 );
            pass_in($id) if $channel{$id} && vec( $readable, $number, 1 );
        }
        hear() if vec( $readable, fileno STDIN, 1 );
        greet($listener) if vec( $readable, fileno $listener, 1 );
        for my $number ( keys %ears ) { $ears{$number}->() if vec( $readable, $number, 1 ) }
    }
}
