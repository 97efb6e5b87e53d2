# The guest's end of a preview: connects to a port of the loopback whenever the engine asks for a connection, and
# carries it over its own standard streams. It listens nowhere.
my ($port) = @ARGV;
$most    = 64;
$write   = sub { };
$connect = sub {
    my ($id) = @_;
    my $socket = open_socket( PF_INET, pack_sockaddr_in( $port, INADDR_LOOPBACK ) )
      || open_socket( PF_INET6, pack_sockaddr_in6( $port, Socket::IN6ADDR_LOOPBACK ) );
    return send_frame( 'C', $id, 0, '' ) if !$socket || keys %channel >= $most;
    fcntl $socket, F_SETFL, fcntl( $socket, F_GETFL, 0 ) | O_NONBLOCK;
    $channel{$id} = { socket => $socket, out => '', room => $window, ended => 0, heard => 0, closed => 0 };
};

sub open_socket {
    my ( $family, $address ) = @_;
    socket my $socket, $family, SOCK_STREAM, 0 or return;
    return connect( $socket, $address ) ? $socket : undef;
}

$0 = 'perl';
binmode $_ for \*STDIN, \*STDOUT;
$SIG{PIPE} = 'IGNORE';
socketpair my $listener, my $other, AF_UNIX, SOCK_STREAM, 0 or leave(1);
send_frame( 'R', 0, 0, '' );
carry($listener);
